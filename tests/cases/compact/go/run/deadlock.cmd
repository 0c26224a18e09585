go run ./dead
status 1
