black --diff --check shop/report.py
status 1
