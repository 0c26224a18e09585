bun test jt/bad1.test.js
status 1
