git revert --no-edit HEAD~1
status 0
