pytest tests/nosuch.py -p no:cacheprovider
status 4
