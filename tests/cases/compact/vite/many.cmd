npx vite build many
status 0
