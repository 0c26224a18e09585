gotestsum ./good ./bad
status 1
