git add -n src/mod_1.py
status 0
