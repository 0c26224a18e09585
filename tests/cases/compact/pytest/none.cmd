pytest -k nothing -p no:cacheprovider
status 5
