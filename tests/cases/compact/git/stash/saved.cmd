git stash
status 0
