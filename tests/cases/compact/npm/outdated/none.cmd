npm outdated
status 0
