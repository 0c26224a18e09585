mypy app.py
status 1
