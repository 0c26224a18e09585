npx tsc --noEmit
status 0
