npx eslint --color src
status 1
