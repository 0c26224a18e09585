pytest -p no:cacheprovider -k 'ok and not 5' tests
status 0
