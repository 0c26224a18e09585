pycodestyle shop
status 1
