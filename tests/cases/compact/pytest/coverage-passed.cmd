pytest --cov=. --cov-report=term-missing -p no:cacheprovider tests/test_ok.py
status 0
