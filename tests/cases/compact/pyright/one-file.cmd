pyright shop/money.py
status 1
