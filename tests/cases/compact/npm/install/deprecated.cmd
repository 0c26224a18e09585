npm install --no-audit
status 0
