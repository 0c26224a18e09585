npx jest
status 1
