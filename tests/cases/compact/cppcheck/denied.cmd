cppcheck --error-exitcode=1 leak.c warn.c
status 1
