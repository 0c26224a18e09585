pytest -p no:cacheprovider tests/test_w.py
status 2
