make test
status 2
