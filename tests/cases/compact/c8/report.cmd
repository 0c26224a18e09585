npx c8 node c/cover.mjs
status 0
