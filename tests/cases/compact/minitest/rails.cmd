rails test
status 1
