npm run build
status 0
