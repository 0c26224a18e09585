pytest -p no:cacheprovider
status 2
