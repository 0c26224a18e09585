lsof -i :1
status 1
