pytest -p no:cacheprovider -rP tests/test_log.py
status 0
