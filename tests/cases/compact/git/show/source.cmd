git show HEAD~2
status 0
