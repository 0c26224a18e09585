npx webpack
status 1
