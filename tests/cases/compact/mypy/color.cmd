mypy --pretty pkg/m.py
status 1
