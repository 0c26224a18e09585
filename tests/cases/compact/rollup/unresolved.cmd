npx rollup src/unresolved.js --file dist/x.js
status 1
