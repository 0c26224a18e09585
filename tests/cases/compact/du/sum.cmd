du -sh a c
status 0
