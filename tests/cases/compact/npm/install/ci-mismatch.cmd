npm ci
status 1
