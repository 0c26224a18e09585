git add nosuch.py
status 128
