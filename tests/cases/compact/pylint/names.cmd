pylint late/uses.py
status 20
