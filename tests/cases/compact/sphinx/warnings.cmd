sphinx-build docs out
status 0
