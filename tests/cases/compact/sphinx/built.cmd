sphinx-build docs-good out2
status 0
