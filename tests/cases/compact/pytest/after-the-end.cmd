pytest -p no:cacheprovider tests/test_late.py
status 0
