npx tsc --noEmit
status 2
