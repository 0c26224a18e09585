npx tsc -p tsconfig.json --rootDir nosuch
status 1
