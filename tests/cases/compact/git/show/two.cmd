git show HEAD~1 HEAD~2
status 0
