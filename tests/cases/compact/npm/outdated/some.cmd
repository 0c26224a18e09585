npm outdated
status 1
