npx jest --coverage --coverageThreshold='{"global":{"branches":90,"functions":90}}'
status 1
