isort --check-only good
status 0
