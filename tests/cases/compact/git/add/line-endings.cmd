git add .
status 0
