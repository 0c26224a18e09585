pytest --tb=line -q
status 1
