npx eslint src
status 0
