docker pull alpine
status 1
