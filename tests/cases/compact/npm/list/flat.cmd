npm ls
status 0
