pytest -rA tests/test_cart.py
status 1
