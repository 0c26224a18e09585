npx webpack --mode production --entry ./src/unresolved.js
status 1
