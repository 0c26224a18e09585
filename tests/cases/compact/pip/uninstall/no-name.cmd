pip uninstall -y
status 1
