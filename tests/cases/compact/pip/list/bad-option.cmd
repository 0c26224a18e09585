pip list --nosuch
status 2
