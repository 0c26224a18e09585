npm test
status 0
