git log
status 128
