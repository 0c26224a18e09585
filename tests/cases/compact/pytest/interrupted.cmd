pytest -p no:cacheprovider tests/test_y.py
status 2
