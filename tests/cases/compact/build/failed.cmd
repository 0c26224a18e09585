python -m build bb
status 1
