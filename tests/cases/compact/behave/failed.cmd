behave
status 1
