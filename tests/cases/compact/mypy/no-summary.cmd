mypy --no-error-summary pkg/sub/m1.py
status 1
