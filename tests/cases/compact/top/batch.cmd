top -b -n 1
status 0
