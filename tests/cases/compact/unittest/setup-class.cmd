python -m unittest tests.test_u
status 1
