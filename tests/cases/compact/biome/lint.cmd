npx @biomejs/biome lint src
status 1
