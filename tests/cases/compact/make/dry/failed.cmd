make -n broken
status 2
