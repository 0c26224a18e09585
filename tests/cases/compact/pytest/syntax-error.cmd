pytest -p no:cacheprovider tests
status 2
