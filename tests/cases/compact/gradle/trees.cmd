gradle dependencies
status 0
