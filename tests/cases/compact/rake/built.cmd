rake build
status 0
