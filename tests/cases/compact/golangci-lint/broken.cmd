golangci-lint run ./broken ./good
status 1
