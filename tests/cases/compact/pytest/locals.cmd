pytest -l tests/test_cart.py -k 'coupon or find'
status 1
