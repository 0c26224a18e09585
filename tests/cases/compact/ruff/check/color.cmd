FORCE_COLOR=1 ruff check --select UP,F pkg/sub/m1.py
status 1
