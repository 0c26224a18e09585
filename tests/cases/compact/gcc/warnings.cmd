gcc -Wall -Wextra -o warn warn.c
status 0
