git rebase main
status 1
