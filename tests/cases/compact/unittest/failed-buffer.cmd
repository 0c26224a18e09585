python -m unittest -b tests.test_bad
status 1
