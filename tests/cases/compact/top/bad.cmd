top -b -n x
status 1
