valgrind --error-exitcode=1 ./abrt
status 1
