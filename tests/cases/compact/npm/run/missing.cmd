npm run nosuch
status 1
