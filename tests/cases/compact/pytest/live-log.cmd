pytest -p no:cacheprovider --log-cli-level=INFO tests/test_log.py
status 0
