make
status 2
