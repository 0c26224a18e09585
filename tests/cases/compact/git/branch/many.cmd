git branch
status 0
