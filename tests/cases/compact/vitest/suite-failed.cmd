npx vitest run missing m2
status 1
