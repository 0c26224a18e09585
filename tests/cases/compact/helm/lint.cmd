helm lint chart
status 0
