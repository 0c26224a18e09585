docker container prune -f
status 0
