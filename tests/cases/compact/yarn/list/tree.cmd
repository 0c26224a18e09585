yarn list
status 0
