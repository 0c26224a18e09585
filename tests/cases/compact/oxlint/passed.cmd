npx oxlint src/good.js
status 0
