npm test
status 127
