pytest --tb=line -q -p no:cacheprovider
status 1
