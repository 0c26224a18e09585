cargo update
status 0
