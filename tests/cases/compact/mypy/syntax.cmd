mypy broken.py
status 2
