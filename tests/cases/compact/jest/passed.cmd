npx jest
status 0
