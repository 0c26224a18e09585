docker ps -q
status 0
