git log -1
status 0
