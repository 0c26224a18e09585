make -C .
status 2
