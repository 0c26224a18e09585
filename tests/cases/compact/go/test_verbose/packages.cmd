go test -v ./alpha ./beta
status 0
