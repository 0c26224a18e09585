git rebase main
status 0
