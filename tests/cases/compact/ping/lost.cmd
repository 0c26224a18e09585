ping -c 2 -W 1 127.255.255.254
status 1
