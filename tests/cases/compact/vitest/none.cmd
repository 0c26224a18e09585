npx vitest run nosuchpattern
status 1
