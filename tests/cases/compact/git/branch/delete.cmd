git branch -d fix/issue-1 fix/issue-2
status 0
