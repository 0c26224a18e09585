pylint nosuch
status 1
