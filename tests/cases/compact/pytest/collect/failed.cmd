pytest --collect-only -q tests/test_cart.py nosuch.py
status 4
