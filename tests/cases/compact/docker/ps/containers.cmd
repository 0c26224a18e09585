docker ps
status 0
