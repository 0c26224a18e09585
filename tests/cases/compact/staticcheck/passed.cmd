staticcheck ./good
status 0
