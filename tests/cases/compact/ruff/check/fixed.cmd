ruff check --fix app.py --diff
status 1
