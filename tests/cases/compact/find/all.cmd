find web -type f
status 0
