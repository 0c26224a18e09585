git pull
status 1
