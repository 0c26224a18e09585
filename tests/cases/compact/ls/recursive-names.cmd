ls -R
status 0
