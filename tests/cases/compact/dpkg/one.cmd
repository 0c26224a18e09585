dpkg -l bash coreutils nosuch
status 1
