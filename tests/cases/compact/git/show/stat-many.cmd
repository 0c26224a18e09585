git show --stat v1
status 0
