npx eslint fine.js
status 0
