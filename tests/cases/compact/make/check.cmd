make check
status 0
