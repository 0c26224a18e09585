git log -2 -U1
status 0
