npm test -- bad.test.js
status 1
