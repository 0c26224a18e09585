go test -run NoSuch ./none ./internal/pkg1
status 0
