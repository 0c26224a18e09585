ninja -C nbad
status 1
