git show HEAD~1
status 0
