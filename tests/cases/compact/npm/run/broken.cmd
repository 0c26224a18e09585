npm run broken
status 1
