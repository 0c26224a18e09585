mypy --strict bank
status 1
