npm test
status 3
