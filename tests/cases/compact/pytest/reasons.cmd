pytest -v -ra -p no:cacheprovider tests/test_skip.py
status 0
