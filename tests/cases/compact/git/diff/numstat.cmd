git diff --numstat HEAD~4 HEAD
status 0
