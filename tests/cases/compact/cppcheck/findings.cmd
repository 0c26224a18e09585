cppcheck --enable=all leak.c warn.c bad.c
status 0
