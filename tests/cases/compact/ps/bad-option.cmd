ps --nosuch
status 1
