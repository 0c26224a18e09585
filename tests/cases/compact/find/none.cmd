find . -name nosuch
status 0
