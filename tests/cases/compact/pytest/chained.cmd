pytest tests/test_deep.py
status 1
