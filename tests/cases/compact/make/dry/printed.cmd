make -n
status 0
