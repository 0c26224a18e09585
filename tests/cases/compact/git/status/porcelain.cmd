git status --porcelain
status 0
