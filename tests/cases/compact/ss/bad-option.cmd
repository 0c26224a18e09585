ss --nosuch
status 255
