mypy tests
status 0
