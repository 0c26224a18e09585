ant
status 0
