make
status 124
