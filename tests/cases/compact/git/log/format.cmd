git log --format='%h %s' -5
status 0
