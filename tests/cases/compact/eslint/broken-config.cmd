npx eslint fine.js
status 2
