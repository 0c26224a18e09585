pytest -x -p no:cacheprovider
status 1
