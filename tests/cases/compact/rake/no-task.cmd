rake nosuch
status 1
