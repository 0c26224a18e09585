go run ./cmd/ok
status 0
