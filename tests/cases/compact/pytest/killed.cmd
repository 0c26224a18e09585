pytest -p no:cacheprovider tests/test_ok.py tests/test_kill.py
status 137
