git pull
status 0
