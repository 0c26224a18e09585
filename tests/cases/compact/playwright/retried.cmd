npx playwright test e2e/ --retries 1 --workers 1
status 1
