pre-commit run nosuch
status 1
