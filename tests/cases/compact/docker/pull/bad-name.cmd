docker pull Shop:latest
status 1
