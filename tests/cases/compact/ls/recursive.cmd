ls -lR src
status 0
