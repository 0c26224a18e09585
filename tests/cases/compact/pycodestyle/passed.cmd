pycodestyle good
status 0
