npx @biomejs/biome lint src/good.js
status 0
