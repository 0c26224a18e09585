behave nosuch
status 1
