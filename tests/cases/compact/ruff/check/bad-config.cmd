ruff check pkg
status 2
