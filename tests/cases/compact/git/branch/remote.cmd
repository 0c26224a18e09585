git branch -r
status 0
