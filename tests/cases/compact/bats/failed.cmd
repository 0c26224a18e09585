bats t
status 1
