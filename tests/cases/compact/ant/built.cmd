ant
status 1
