make
status 0
