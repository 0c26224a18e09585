npx turbo run test
status 1
