make list
status 0
