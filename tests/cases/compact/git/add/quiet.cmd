git add -A
status 0
