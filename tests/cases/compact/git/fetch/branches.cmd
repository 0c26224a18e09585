git fetch
status 0
