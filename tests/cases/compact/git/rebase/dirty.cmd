git rebase v1.0
status 1
