npx c8 node crash.js
status 1
