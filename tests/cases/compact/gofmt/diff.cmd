gofmt -d .
status 1
