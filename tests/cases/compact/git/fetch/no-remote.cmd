git fetch nowhere
status 128
