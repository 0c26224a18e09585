pycodestyle --show-source shop
status 1
