gotestsum ./good
status 0
