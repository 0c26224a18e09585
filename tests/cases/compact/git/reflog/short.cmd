git reflog -5
status 0
