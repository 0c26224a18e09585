python -m unittest -v tests.test_v
status 134
