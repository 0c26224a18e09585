npx prettier --check .
status 1
