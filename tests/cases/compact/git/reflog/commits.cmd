git reflog
status 0
