git blame -L 1,4 src/money.py
status 0
