ruff check --select ALL app.py
status 1
