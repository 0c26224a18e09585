npm test -- --ci
status 1
