docker ps -a
status 0
