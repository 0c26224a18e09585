make nosuch
status 2
