gofmt -l bad
status 2
