docker logs nosuch
status 1
