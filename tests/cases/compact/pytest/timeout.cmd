pytest -p no:cacheprovider tests/test_kill.py
status 124
