npx tsup src/typed.ts --format esm,cjs --no-config
status 0
