find . -type d
status 0
