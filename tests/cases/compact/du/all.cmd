du -a a c
status 0
