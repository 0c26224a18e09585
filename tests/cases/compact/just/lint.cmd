just lint
status 0
