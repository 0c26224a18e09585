git status --short
status 0
