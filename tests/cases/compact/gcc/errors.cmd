gcc -Wall -c bad.c
status 1
