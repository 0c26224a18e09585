pyright shop
status 1
