ruff check --output-format=concise .
status 1
