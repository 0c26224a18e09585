pytest -n 2 -v -p no:cacheprovider
status 1
