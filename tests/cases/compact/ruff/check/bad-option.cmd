ruff check --select NOPE .
status 2
