dpkg -l 'python3*'
status 0
