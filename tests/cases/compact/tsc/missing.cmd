npx tsc -p nosuch.json
status 1
