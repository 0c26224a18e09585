git diff --name-status HEAD~4
status 0
