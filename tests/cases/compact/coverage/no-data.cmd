coverage report --data-file nosuch
status 1
