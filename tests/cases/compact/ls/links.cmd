ls -la
status 0
