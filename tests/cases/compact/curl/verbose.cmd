curl -v -o x http://127.0.0.1:5701/server.py
status 0
