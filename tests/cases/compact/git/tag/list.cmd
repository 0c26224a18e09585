git tag -l
status 0
