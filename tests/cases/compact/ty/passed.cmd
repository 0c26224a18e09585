ty check good
status 0
