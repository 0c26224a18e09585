npx vitest run src/vsyntax.test.ts src/v1.test.ts
status 1
