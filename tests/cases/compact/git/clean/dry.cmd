git clean -nd
status 0
