isort --check-only .
status 1
