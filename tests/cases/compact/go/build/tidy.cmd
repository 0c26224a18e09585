go mod tidy
status 0
