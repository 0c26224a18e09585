npx vitest run --bail 1
status 1
