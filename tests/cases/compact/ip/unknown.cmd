ip link show nosuch
status 1
