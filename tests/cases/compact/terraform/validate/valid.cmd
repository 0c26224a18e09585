terraform validate
status 0
