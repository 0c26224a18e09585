git log --pretty=fuller -6
status 0
