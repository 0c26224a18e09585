mypy pkg
status 1
