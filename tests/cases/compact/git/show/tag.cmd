git show v1
status 0
