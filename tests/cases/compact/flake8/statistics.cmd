flake8 --count --max-line-length 60 shop
status 1
