git diff --cached
status 0
