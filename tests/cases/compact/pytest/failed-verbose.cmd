pytest -v -p no:cacheprovider
status 1
