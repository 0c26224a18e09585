staticcheck .
status 1
