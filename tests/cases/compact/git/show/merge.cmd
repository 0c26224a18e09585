git show 1f0e7c2
status 0
