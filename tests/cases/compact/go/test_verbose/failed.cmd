go test -v ./p1 ./p2 ./p3
status 1
