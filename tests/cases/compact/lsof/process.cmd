lsof -p 1234
status 0
