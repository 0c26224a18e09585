docker rm nosuch
status 1
