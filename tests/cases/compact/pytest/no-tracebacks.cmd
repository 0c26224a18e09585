pytest --tb=no -q -p no:cacheprovider
status 1
