find web -ls
status 0
