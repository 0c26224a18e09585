find . -type f
status 0
