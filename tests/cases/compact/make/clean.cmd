make clean
status 0
