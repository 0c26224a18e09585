git log -p -3
status 0
