ls -l
status 0
