golangci-lint run .
status 1
