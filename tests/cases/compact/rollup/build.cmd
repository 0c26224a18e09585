npx rollup src/sum.mjs --file dist/sum.js
status 0
