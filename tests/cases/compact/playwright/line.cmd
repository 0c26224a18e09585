npx playwright test --reporter=line
status 1
