npm run check
status 1
