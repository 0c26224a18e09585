pip install ./bad
status 1
