apt-get update
status 0
