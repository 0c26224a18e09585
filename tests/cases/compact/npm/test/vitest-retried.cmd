npm test
status 1
