docker images
status 1
