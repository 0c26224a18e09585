pytest -n 2 -v
status 1
