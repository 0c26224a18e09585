pytest -n 2 -v -p no:cacheprovider tests/test_ok.py
status 0
