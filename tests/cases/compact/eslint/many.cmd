npx eslint .
status 1
