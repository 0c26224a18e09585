black --check .
status 1
