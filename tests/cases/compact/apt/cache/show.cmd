apt-cache show bats
status 0
