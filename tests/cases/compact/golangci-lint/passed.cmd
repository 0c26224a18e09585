golangci-lint run ./good
status 0
