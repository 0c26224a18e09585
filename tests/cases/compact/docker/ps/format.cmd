docker ps --format '{{.Names}}'
status 0
