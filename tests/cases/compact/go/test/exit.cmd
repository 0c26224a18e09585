go test ./store
status 1
