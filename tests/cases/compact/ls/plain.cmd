ls
status 0
