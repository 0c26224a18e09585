npx tsc
status 2
