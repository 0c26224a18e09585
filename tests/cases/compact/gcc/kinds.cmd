gcc -Wall -Wextra bad.c main.c -o x
status 1
