npx prettier --check src/good.js css/good.css
status 0
