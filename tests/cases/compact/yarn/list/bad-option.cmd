yarn list --nosuch=1 --depth
status 1
