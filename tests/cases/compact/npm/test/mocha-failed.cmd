npm test
status 2
