npx tsc -b --verbose
status 0
