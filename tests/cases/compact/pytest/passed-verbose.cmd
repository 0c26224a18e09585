pytest -v -p no:cacheprovider
status 0
