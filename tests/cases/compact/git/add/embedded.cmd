git add sub
status 0
