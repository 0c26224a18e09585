python -m unittest -f -v tests.test_u
status 1
