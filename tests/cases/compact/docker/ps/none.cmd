docker ps --filter name=nosuch
status 0
