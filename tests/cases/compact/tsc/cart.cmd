npx tsc --noEmit --pretty
status 2
