npx playwright test e2e-good/
status 0
