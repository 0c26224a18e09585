pytest --tb=native
status 1
