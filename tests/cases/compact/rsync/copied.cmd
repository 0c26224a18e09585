rsync -av a c out3/
status 0
