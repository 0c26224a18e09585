git stash list
status 0
