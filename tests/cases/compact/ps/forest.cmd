ps -ef
status 0
