npm audit
status 1
