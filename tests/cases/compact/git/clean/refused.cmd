git clean
status 128
