npm pack
status 1
