git stash pop
status 0
