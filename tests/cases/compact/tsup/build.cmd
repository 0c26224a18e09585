npx tsup src/typed.ts
status 0
