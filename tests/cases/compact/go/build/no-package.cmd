go build ./nosuch
status 1
