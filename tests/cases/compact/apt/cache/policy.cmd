apt-cache policy bash coreutils nosuch
status 0
