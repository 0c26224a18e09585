helm lint nosuch
status 1
