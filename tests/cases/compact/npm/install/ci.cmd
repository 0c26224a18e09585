npm ci
status 0
