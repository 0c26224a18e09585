npx jest --rootDir test2
status 1
