ping -c 12 127.0.0.1
status 0
