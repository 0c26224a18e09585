pytest -p no:cacheprovider
status 1
