git log --date=iso -8
status 0
