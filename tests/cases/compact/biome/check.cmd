npx @biomejs/biome check src
status 1
