npx vitest run
status 1
