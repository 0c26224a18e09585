npx tsc --noEmit
status 1
