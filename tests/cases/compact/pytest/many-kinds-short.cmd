pytest --tb=short
status 1
