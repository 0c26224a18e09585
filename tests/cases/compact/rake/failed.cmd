rake bad
status 1
