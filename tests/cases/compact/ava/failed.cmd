npx ava at/a.test.mjs
status 1
