npx eslint --format json fine.js
status 0
