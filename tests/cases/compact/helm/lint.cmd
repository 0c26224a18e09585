helm lint chart
status 1
