git log
status 0
