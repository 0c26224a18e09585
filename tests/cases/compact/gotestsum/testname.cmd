gotestsum --format testname ./good ./bad
status 1
