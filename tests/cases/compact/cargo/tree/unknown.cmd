cargo tree -i nosuch
status 101
