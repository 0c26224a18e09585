systemctl list-units
status 1
