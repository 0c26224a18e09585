git branch -vv
status 0
