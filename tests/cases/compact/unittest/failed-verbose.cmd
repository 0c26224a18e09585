python3 -m unittest -v tests.test_bad tests.test_good
status 1
