pytest -p no:cacheprovider tests/test_coll.py
status 0
