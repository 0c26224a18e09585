npx tsc -b --verbose
status 2
