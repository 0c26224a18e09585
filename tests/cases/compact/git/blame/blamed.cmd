git blame src/cart.py
status 0
