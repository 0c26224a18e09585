pytest -p no:cacheprovider tests
status 4
