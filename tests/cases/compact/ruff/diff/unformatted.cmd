ruff format --diff shop
status 1
