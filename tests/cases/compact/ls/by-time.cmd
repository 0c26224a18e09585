ls -lt
status 0
