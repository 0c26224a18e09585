ruff check --select E,F,I,UP,N,B,SIM pkg calc.py tests
status 1
