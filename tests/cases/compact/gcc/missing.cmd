cc -c nosuch.c
status 1
