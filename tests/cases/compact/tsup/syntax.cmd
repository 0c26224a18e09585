npx tsup src/broken.js --no-config
status 1
