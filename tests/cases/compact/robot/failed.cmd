robot suite
status 2
