npx jest --rootDir jt
status 1
