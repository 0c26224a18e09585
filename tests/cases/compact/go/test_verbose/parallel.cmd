go test -v ./store
status 1
