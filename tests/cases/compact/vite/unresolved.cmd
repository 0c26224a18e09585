npx vite build bad
status 1
