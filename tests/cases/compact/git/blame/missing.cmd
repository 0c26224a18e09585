git blame src/nosuch.py
status 128
