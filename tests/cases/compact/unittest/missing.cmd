python -m unittest tests.test_nosuch
status 1
