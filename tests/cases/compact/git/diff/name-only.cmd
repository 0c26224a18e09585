git diff --name-only HEAD~4 HEAD
status 0
