gradle nosuch
status 1
