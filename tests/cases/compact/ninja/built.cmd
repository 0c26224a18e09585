ninja -C n
status 0
