valgrind ./okp
status 0
