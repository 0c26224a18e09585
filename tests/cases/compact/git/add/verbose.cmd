git add -v -A
status 0
