npx jest --verbose bad m1.test.js
status 1
