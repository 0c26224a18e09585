go test -cover ./calc ./empty
status 0
