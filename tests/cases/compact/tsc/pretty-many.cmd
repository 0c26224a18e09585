npx tsc --noEmit --pretty
status 1
