npx vitest run --reporter=dot
status 0
