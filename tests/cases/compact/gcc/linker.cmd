gcc link.c -o link
status 1
