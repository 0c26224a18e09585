coverage report -m
status 0
