npx vitest run late
status 1
