pydocstyle --explain shop/money.py
status 1
