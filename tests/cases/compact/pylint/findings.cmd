pylint shop
status 30
