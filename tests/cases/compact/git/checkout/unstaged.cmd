git reset
status 0
