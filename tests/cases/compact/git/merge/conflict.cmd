git merge feature
status 1
