ruff check nosuch.py
status 1
