npx eslint src/a.js
status 1
