pip list --outdated
status 0
