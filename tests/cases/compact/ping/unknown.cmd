ping -c 1 nosuch.invalid
status 2
