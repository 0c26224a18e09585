npx prettier --check src
status 2
