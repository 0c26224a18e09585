npm audit
status 0
