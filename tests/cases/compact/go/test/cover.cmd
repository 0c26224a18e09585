go test -cover ./store ./calc
status 1
