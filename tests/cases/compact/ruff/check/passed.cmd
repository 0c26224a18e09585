ruff check tests
status 0
