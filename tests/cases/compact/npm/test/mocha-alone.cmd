mocha mo/m.js
status 1
