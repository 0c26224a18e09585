ant nosuch
status 1
