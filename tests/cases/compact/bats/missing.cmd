bats nosuch.bats
status 1
