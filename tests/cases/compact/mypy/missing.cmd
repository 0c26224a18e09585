mypy nosuch.py
status 2
