git log --name-only -5
status 0
