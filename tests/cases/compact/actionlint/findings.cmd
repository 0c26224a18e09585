actionlint
status 1
