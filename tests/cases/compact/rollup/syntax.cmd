npx rollup src/broken.js --file dist/x.js
status 1
