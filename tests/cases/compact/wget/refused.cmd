wget --tries=1 http://127.0.0.1:9/x
status 4
