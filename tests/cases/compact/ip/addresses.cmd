ip addr
status 0
