git branch -d lone
status 1
