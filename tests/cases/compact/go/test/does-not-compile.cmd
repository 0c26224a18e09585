go test ./store ./calc
status 1
