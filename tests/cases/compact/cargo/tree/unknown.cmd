cargo tree -p nosuch
status 101
