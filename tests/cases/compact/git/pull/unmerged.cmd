git pull
status 128
