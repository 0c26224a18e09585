isort --check-only --diff shop tests chain.py
status 1
