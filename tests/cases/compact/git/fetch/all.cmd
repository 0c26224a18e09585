git fetch --all --prune
status 0
