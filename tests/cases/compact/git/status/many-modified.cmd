git status
status 0
