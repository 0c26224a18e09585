df -h
status 0
