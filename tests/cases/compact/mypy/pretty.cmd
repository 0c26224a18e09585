mypy --pretty --strict app.py
status 1
