git log -1 --patch-with-stat
status 0
