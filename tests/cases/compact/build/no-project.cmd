python -m build nosuch
status 1
