valgrind --leak-check=full --error-exitcode=1 ./leak
status 1
