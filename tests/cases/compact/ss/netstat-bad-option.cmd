netstat --nosuch
status 3
