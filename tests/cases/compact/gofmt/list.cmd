gofmt -l .
status 0
