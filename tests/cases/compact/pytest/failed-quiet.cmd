pytest -q -p no:cacheprovider
status 1
