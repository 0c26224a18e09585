tree nosuch
status 2
