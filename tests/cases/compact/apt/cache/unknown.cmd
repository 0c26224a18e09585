apt-cache show nosuch
status 100
