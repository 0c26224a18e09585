git show --stat HEAD
status 0
