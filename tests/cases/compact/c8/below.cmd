npx c8 --check-coverage --lines 99 node c/cover.mjs
status 0
