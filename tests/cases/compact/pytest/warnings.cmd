pytest -p no:cacheprovider tests/test_warn.py tests/test_ok.py
status 1
