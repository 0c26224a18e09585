docker build .
status 1
