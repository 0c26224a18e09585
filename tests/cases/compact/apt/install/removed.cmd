apt-get remove -y hyperfine
status 0
