npx eslint node_modules/jest/index.js
status 2
