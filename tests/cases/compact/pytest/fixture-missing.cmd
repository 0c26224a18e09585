pytest -p no:cacheprovider tests/test_fixture.py
status 1
