npx vitest run --reporter=verbose
status 1
