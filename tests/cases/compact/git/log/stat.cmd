git log --stat -5
status 0
