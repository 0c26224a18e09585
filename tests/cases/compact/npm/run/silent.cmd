npm run --silent lint
status 1
