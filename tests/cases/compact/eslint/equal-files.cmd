npx eslint src
status 1
