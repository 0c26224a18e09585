tree -a
status 0
