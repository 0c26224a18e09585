ruff check --diff shop tests
status 1
