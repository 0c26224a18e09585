ninja -C nb -k 0
status 1
