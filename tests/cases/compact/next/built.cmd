npx next build
status 0
