npx playwright test e2e/
status 1
