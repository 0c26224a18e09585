git branch -a
status 0
