npx tsc -p tsconfig.json --listFiles
status 2
