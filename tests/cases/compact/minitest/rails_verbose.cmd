rails test -v
status 1
