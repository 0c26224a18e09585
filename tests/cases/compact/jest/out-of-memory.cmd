npx jest -i src/oom.test.js
status 134
