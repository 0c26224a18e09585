ls -la src
status 0
