ruff format pkg calc.py
status 0
