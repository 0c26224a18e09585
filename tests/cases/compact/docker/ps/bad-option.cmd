docker ps --nope
status 125
