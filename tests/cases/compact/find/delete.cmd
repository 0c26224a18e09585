find . -name thing_7.py -print -delete
status 0
