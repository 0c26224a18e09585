python -m unittest tests.test_warn tests.test_good
status 0
