git diff HEAD~1 HEAD
status 0
