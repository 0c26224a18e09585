top --nosuch
status 0
