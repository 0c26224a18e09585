npm run typecheck
status 1
