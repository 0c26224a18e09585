git diff --name-only
status 0
