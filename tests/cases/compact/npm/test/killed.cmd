npm test
status 137
