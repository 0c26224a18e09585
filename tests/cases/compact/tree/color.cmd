tree -C src
status 0
