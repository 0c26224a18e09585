npx jest --rootDir z/jest cart
status 0
