docker ps
status 1
