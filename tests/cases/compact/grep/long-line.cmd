grep -n needle min.js
status 0
