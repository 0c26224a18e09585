git log --merges
status 0
