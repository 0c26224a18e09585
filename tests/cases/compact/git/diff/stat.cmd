git diff --stat
status 0
