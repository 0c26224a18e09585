git log --author=nobody
status 0
