python -m unittest
status 1
