df -i
status 0
