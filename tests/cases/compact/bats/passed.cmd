bats t/good.bats
status 0
