npx jest --colors src/bad.test.js
status 1
