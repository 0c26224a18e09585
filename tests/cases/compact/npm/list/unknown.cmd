npm ls nosuch
status 1
