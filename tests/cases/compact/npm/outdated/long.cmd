npm outdated --long
status 1
