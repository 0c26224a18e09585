ty check shop
status 1
