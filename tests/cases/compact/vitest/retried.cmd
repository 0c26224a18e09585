vitest run --reporter=verbose d.test.js
status 0
