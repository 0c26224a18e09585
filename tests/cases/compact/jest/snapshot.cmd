npx jest --ci snap
status 1
