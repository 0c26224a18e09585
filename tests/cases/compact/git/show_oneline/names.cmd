git show --name-only --oneline v1
status 0
