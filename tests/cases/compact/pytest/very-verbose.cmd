pytest -vv -p no:cacheprovider tests/test_bad.py
status 1
