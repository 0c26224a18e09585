just check
status 3
