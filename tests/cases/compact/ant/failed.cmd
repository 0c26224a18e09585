ant bad
status 1
