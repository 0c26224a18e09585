make check
status 2
