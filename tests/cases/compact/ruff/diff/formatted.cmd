ruff format --diff ok.py
status 0
