npx mocha test/cart.spec.cjs
status 5
