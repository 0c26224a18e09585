git clone --progress file:///home/dev/repo copy
status 0
