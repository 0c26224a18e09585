npx tsup src/unresolved.js --no-config
status 1
