git grep -c import
status 0
