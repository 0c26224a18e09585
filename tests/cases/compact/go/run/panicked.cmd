go run ./cmd/crash
status 1
