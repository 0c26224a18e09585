npx jest --coverage m4
status 0
