go run ./broken
status 1
