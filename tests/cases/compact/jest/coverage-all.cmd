npx jest --coverage
status 0
