pytest -p no:cacheprovider test_b.py
status 1
