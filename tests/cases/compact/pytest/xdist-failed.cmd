pytest -n 2 -p no:cacheprovider
status 1
