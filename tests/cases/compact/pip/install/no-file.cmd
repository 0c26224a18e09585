pip install -r nosuch.txt
status 1
