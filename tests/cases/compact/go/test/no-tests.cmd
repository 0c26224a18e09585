go test ./empty
status 0
