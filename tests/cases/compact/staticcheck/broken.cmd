staticcheck ./broken
status 1
