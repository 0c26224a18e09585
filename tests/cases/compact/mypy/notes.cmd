mypy --strict --show-error-context many/m1.py app.py
status 1
