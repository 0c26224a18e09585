git switch nosuch
status 128
