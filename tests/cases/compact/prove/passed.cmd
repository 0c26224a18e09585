prove -l ok
status 0
