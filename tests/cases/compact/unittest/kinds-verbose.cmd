python -m unittest -v tests.unit_old
status 1
