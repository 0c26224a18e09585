robot nosuch
status 252
