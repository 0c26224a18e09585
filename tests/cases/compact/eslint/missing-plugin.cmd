npx eslint src
status 2
