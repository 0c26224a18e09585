wget http://127.0.0.1:5701/nosuch
status 8
