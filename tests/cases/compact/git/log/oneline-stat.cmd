git log --oneline --stat v1
status 0
