git pull --progress
status 0
