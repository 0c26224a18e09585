npx jest src/leak.test.js
status 124
