git diff HEAD
status 0
