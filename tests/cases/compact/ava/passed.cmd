npx ava at/ok.test.mjs
status 0
