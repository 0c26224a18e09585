npx jest --verbose
status 0
