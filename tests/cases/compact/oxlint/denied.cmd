npx oxlint -D all src/basket.js
status 1
