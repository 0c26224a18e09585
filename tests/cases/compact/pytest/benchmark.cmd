pytest -p no:cacheprovider tests/test_bench.py
status 0
