df -h /nosuch
status 1
