valgrind ./nosuch
status 127
