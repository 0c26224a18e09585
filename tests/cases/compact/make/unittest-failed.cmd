make unit
status 2
