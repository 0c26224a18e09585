git log --stat
status 0
