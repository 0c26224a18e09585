npx webpack --mode development --entry ./src/broken.js
status 1
