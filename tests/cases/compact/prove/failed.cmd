prove -l t
status 1
