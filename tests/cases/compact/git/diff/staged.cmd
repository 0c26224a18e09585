git diff --staged
status 0
