go test -v ./calc ./store
status 1
