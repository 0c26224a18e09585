black --check good
status 0
