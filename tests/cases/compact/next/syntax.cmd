npx next build
status 1
