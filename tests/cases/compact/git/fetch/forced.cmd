git fetch --prune
status 0
