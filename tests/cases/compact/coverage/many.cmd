coverage report
status 0
