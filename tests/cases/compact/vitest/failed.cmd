npx vitest run bad m1.test
status 1
