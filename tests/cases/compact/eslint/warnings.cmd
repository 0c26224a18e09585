npx eslint ok.js
status 1
