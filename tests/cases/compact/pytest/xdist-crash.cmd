pytest -n 2 -p no:cacheprovider tests/test_kill.py
status 1
