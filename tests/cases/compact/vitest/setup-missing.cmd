npx vitest run src/v1.test.ts
status 1
