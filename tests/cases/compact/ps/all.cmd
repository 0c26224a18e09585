ps aux
status 0
