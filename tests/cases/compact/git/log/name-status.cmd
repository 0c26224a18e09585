git log --name-status -5
status 0
