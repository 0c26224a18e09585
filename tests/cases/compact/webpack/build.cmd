npx webpack --mode production --entry ./src/main.js
status 0
