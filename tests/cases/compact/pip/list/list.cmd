pip list
status 0
