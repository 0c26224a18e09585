gofmt -l good
status 0
