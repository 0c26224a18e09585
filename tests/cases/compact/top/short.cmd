top -b -n 1 -p 1
status 0
