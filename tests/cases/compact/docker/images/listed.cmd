docker images
status 0
