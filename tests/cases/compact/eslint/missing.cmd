npx eslint nosuch.js
status 2
