pytest --collect-only tests/test_cart.py slow
status 0
