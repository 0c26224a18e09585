ruff format --check .
status 1
