npx playwright test nosuch
status 1
