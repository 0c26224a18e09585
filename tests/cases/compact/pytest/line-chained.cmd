pytest --tb=line
status 1
