pytest -q --continue-on-collection-errors -p no:cacheprovider tests/test_import.py tests/test_calc.py
status 1
