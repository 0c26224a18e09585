npx prettier --write w
status 0
