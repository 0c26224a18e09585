npx vitest run --coverage
status 0
