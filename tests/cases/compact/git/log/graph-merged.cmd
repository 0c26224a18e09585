git log --graph
status 0
