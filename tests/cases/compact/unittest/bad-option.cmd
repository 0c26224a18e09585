python -m unittest --nosuch
status 2
