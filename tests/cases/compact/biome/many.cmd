npx biome check src
status 1
