npx vitest run
status 0
