yarn install
status 0
