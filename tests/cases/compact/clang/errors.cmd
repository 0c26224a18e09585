clang -Wall -c bad.c
status 1
