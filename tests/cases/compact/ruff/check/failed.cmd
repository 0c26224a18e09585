ruff check .
status 1
