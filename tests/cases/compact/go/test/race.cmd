go test -race ./race
status 1
