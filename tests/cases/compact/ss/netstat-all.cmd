netstat -an
status 0
