npx vite build
status 0
