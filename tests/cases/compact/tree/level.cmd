tree -L 2
status 0
