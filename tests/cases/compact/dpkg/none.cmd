dpkg -l nosuch
status 1
