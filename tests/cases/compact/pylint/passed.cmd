pylint good
status 0
