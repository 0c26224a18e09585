npm ls
status 1
