npx jest bad.test.js m1.test.js m2.test.js
status 1
