git clean -fd
status 0
