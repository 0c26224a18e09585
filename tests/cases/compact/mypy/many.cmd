mypy --strict many
status 1
