pytest -p no:cacheprovider
status 0
