python -m unittest
status 0
