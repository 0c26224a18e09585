git log --date=relative -4
status 0
