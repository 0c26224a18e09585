pytest --collect-only -q
status 0
