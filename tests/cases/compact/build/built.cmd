python -m build
status 0
