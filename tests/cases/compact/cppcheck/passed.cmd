cppcheck --error-exitcode=1 ok.c
status 0
