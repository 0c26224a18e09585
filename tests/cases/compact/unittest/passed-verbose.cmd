python -m unittest discover -v -s tests -t .
status 0
