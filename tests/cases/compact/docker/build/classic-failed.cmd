docker build .
status 2
