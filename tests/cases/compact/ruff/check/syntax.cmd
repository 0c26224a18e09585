ruff check broken.py
status 1
