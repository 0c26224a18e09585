curl -v -o x http://127.0.0.1:9/
status 7
