cargo tree
status 0
