pytest --collect-only -q -p no:cacheprovider tests/test_calc.py
status 0
