git show --oneline --stat v1
status 0
