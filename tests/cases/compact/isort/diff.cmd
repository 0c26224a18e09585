isort --check-only --diff shop
status 1
