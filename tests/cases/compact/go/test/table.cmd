go test ./calc ./store
status 1
