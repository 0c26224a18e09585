git diff
status 0
