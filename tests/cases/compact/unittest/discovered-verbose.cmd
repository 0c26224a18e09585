python -m unittest discover -s unit -v
status 1
