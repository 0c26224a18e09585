git fetch --progress --prune
status 0
