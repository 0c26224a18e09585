go test -timeout 1s ./slow ./store
status 1
