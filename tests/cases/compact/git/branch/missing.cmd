git branch -d nosuch
status 1
