apt-get install -y bats
status 0
