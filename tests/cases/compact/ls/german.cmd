ls -la src nosuch
status 2
