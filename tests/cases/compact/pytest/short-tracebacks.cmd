pytest --tb=short -p no:cacheprovider
status 1
