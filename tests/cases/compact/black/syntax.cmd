black --check broken.py shop/cart.py good
status 123
