git show
status 0
