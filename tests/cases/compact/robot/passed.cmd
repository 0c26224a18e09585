robot suite-good
status 0
