git status --short --branch
status 0
