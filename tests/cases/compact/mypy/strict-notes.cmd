mypy --strict shop tests
status 1
