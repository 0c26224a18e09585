ty check shop/money.py
status 1
