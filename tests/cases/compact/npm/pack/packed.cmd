npm pack
status 0
