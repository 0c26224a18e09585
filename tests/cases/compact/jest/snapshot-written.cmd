npx jest --ci=false src/snap.test.js
status 0
