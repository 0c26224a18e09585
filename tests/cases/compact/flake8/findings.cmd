flake8 shop
status 1
