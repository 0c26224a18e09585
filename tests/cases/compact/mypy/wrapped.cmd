mypy --strict --pretty tests
status 1
