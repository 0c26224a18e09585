gh run list
status 4
