pytest -q -p no:cacheprovider
status 0
