ps -p 999999
status 1
