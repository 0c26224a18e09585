git stash pop
status 1
