npm run lint
status 2
