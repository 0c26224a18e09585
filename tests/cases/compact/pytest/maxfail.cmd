pytest --maxfail=2 -p no:cacheprovider -q
status 1
