npx playwright test
status 1
