git log --oneline
status 0
