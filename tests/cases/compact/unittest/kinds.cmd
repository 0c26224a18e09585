python -m unittest tests.unit_old
status 1
