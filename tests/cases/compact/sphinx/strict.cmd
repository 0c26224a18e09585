sphinx-build -W -E docs out3
status 1
