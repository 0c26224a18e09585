git show HEAD:README.md
status 0
