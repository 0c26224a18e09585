helm lint badchart
status 1
