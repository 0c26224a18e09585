git log --follow -4 -- READ.md
status 0
